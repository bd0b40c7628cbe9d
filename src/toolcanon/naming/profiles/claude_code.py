"""The names of Claude Code's own tools, for applications that offer such tools by other names."""

from __future__ import annotations

from toolcanon.naming.profiles.profile import Profile

PROFILE = Profile(
    "claude-code",
    names={
        "read": "Read",
        "write": "Write",
        "edit": "Edit",
        "bash": "Bash",
        "glob": "Glob",
        "ripgrep": "Grep",
        "grep": "Grep",
        "ls": "LS",
        "tree": "Tree",
        "apply_patch": "ApplyPatch",
        "git_status": "GitStatus",
        "git_diff": "GitDiff",
        "git_commit": "GitCommit",
        "websearch": "WebSearch",
        "update_plan": "TodoWrite",
    },
    style="pascal",
    aliases={
        "Grep": "ripgrep",
        "Ls": "ls",
        "Cd": "cd",
        "Pwd": "pwd",
        "Terminal": "terminal",
        "UpdatePlan": "update_plan",
        "Websearch": "websearch",
        "ProgressUpdate": "progress_update",
        "Finish": "finish",
    },
    internal=frozenset({"progress_update", "finish"}),
)
