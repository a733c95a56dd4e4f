/**
 * Opens a row on a click. Links and fields in it act by themselves: if the row followed a link once more, the
 * history would have two steps. Text of a row can be selected.
 */
export const onRowClick =
  (open: () => void) =>
  (event: MouseEvent): void => {
    if ((event.target as Element).closest('a, button, input, label') !== null) return;
    if (String(getSelection()) === '') open();
  };
