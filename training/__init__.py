"""How the shipped models were made: data, synthesis, training, evaluation, export, card. Not part of the package."""
