"""What the command and datasets share: reading, converting and repairing files, with columns and without."""
