"""Figure 5 of the study of 1998: networks trained by back-propagation."""
