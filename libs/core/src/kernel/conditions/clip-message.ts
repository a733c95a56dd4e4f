/**
 * Longest message in a status, in bytes. Messages contain texts of catalogs, bundles and API servers, and an
 * API server refuses an object that is too large: the user would then not see any of it.
 */
export const MAX_MESSAGE_BYTES = 2_048;

const encoder = new TextEncoder();

/** Returns the message, or as much of its beginning as fits, with an ending that says how much is missing. */
export function clipMessage(message: string, maxBytes = MAX_MESSAGE_BYTES): string {
  // No character takes more than three bytes for each of its code units.
  if (message.length * 3 <= maxBytes) return message;
  const { length } = encoder.encode(message);
  if (length <= maxBytes) return message;
  const room = maxBytes - encoder.encode(ending(length)).length;
  const { read } = encoder.encodeInto(message, new Uint8Array(Math.max(0, room)));
  const kept = message.slice(0, read);
  return `${kept}${ending(length - encoder.encode(kept).length)}`;
}

const ending = (bytes: number): string => `… (clipped: ${bytes} more bytes)`;
