/**
 * A click on a row opens it. Links and fields in it do what they do by themselves: a link that its row
 * followed once more would be two steps of the history. Text of a row can be selected.
 */
export const onRowClick =
  (open: () => void) =>
  (event: MouseEvent): void => {
    if ((event.target as Element).closest('a, button, input, label') !== null) return;
    if (String(getSelection()) === '') open();
  };
