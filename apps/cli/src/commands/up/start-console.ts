import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import type { Hub } from '#platform/hub/hub';
import { UsageError } from '../../terminal/io.js';
import { openConsole } from './all-services.js';

const ANY_FREE_PORT = 0;
const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');

/**
 * Starts the console next to the services, and returns the line about it. If the console cannot start, the
 * rest still starts.
 */
export async function startConsole(hub: Hub, endings: (() => Promise<unknown>)[]): Promise<string> {
  try {
    const console = await openConsole(hub, hub.settings.consolePort).catch((error: unknown) => {
      if (isTaken(error)) return openConsole(hub, ANY_FREE_PORT);
      throw error;
    });
    endings.push(() => console.stop());
    return console.hasPages
      ? `Console ${console.link}`
      : `Console ${console.link} (its pages are not built: run "make build")`;
  } catch (error) {
    if (error instanceof FlotillaError || error instanceof UsageError) return `No console: ${error.message}`;
    throw error;
  }
}
