"""What people and exports ask of a home: ledgers, jobs, the stack."""
