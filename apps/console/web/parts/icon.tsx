/** Drawings on a square of 16 units. Each is a line in the colour of its text. */
const DRAWINGS = {
  // Statuses
  failed: 'M5.4 1.5h5.2l3.9 3.9v5.2l-3.9 3.9H5.4l-3.9-3.9V5.4zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  blocked: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM4.8 8h6.4',
  'needs-approval': 'M8 1.8a2.9 2.9 0 1 0 0 5.8a2.9 2.9 0 1 0 0-5.8zM2.4 14.2a5.6 5.6 0 0 1 11.2 0',
  'under-way': 'M13.6 6.2A6 6 0 1 0 14 8.6M14 2.4v3.9h-3.9',
  well: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM5 8.3l2.1 2.1L11.2 6',
  unknown: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM6.2 6.3a1.8 1.8 0 1 1 2.7 1.6c-.6.3-.9.6-.9 1.2M8 11.4v.1',
  // Reach of a cluster
  reached: 'M2 14v-3M6 14V8M10 14V5M14 14V2',
  stale: 'M2 14v-3M6 14V8M10 14v-.1M14 14v-.1',
  away: 'M2 14v-3M6 14V9M9.5 3l5 5M14.5 3l-5 5',
  'left-to-olm': 'M8 1.8L14.2 8L8 14.2L1.8 8z',
  refused: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM3.5 3.5l9 9',
  // Marks and buttons
  warning: 'M8 2l6.5 11.8h-13zM8 6.4v3.4M8 11.7v.1',
  check: 'M3 8.6l3.3 3.3L13 5',
  pending: 'M8 7.9v.2',
  bar: 'M3.5 8h9',
  close: 'M4 4l8 8M12 4l-8 8',
  up: 'M4 10l4-4l4 4',
  down: 'M4 6l4 4l4-4',
  right: 'M3 8h9.5M8.5 4l4 4l-4 4',
  menu: 'M2 4h12M2 8h12M2 12h12',
  theme:
    'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM8 1.5v13M8 5l3 -2.5M8 8.5l5.5-4.5M8 12l6.4-5.2M9.5 14.2l4.6-3.8',
  save: 'M8 2v8.4M4.4 7L8 10.5L11.6 7M2.5 14h11',
} as const;

export type IconName = keyof typeof DRAWINGS;

/** An icon next to its words. It has no words of its own. */
export const Icon = ({ of }: { of: IconName }) => (
  <svg class="glyph" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={DRAWINGS[of]} />
  </svg>
);
