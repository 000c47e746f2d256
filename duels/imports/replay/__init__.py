"""Replay files of simulators (.yrpX, .yrp): pure readers, bounded against hostile input."""
