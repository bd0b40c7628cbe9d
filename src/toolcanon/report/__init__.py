"""Reports as text and documents. Payloads are not made here."""
