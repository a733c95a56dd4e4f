import type { Log } from './log.port.js';

/** Logs the warnings of Node.js: collectors of logs expect nothing but JSON. */
export function logWarnings(log: Log): void {
  process.removeAllListeners('warning'); // Node's own, which prints text
  process.on('warning', ({ name, message }) => log.warn({ warning: name, error: message }, 'Node.js warns'));
}
