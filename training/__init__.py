"""How the shipped models were made: data, synthesis, training, evaluation, export and card. Never imported by the package."""
