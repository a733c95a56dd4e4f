/** The sail of Flotilla. */
export const Mark = () => (
  <svg class="brand-mark" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
    <path d="M11 2v13H4zM13 5v10h7zM3 17h18l-3 5H6z" />
  </svg>
);
