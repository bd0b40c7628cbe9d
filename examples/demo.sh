#!/usr/bin/env bash
# The main functions on real examples: convert to another provider's format and back without loss.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

echo "1. OpenAI's strict mode rejects this tool as it is: its labels are a map. (LiteLLM 1.106
   sends Gemini the map without the type of its values, and does not report it.) toolcanon rewrites
   the tool, reports how, and undoes it in the calls that come back."
show toolcanon convert deploy.mcp.json --to openai --strict --verify \
  --output "$work/strict.json" --receipt "$work/deploy.json" -v
show cat "$work/strict.json"
echo
echo "   A model's call against that schema, as the tool expects it:"
show cat deploy.call.json
show toolcanon restore deploy.call.json --receipt "$work/deploy.json"

echo
echo "2. What does L221 mean?"
show toolcanon explain L221

echo
echo "3. Which format is this?"
show toolcanon detect github_issue.mcp.json

echo
echo "4. An MCP tool for Anthropic, with every loss reported and a receipt for the way back."
show toolcanon convert github_issue.mcp.json --to anthropic \
  --output "$work/anthropic.json" --receipt "$work/receipt.json" -v
show cat "$work/anthropic.json"

echo
echo "5. Back to MCP with the receipt: the same JSON."
show toolcanon convert "$work/anthropic.json" --from anthropic --to mcp \
  --undo "$work/receipt.json" --verbatim --output "$work/back.json"
python3 - "$work/back.json" <<'PY'
import json, sys
same = json.load(open(sys.argv[1])) == json.load(open("github_issue.mcp.json"))
print("identical to the original" if same else "DIFFERENT FROM THE ORIGINAL")
sys.exit(not same)
PY

echo
echo "6. A whole OpenAI request, for Gemini."
show toolcanon switch request.openai.json --to gemini --compact

echo
echo "7. An OpenAPI document: one tool for each operation."
show toolcanon convert bookshop.openapi.json --to anthropic --compact

echo
echo "8. A row of training data: tools and calls as text, both for strict mode."
show toolcanon convert train.jsonl --to openai --strict --tools-field tools --calls-field answers

echo
echo "9. Will the provider accept this history? Its own messages are quoted."
show toolcanon check history.anthropic.json --to anthropic || true

echo
echo "10. Which providers accept these tools, and can they be trusted?"
show toolcanon check catalog.mcp.json || true

echo
echo "11. What does the model of one provider see, and what is lost?"
show toolcanon show catalog.mcp.json search_orders --to openai/strict

echo
echo "12. What changed between two versions, and who breaks?"
show toolcanon diff orders.v1.json orders.v2.json || true

echo
echo "13. The same history for another provider, repaired."
show toolcanon switch history.anthropic.json --to openai

echo
echo "Shown: tools rewritten for a provider, with every loss; calls and tools brought back; histories"
echo "checked and switched; two versions compared. Try next, with a server or file of your own:"
echo "  toolcanon check -- npx -y @scope/server     which providers reject its tools, and the edit"
echo "  toolcanon convert tools.json --to gemini    the tools for another provider"
echo "  toolwatch lock tools.json                   be told when they change"
