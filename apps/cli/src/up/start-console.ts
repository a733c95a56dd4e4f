import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import type { Hub } from '#platform/hub/hub';
import { UsageError } from '../io.js';
import { openConsole } from './all-services.js';
import { usablePort } from './usable-port.js';

/**
 * Starts the console beside the services, and answers the line about it. What keeps it from its start keeps
 * nothing else from it.
 */
export async function startConsole(hub: Hub, endings: (() => Promise<unknown>)[]): Promise<string> {
  const { consolePort, bindAddress } = hub.settings;
  try {
    const port = await usablePort(consolePort, bindAddress).catch(() => usablePort(0, bindAddress));
    const console = await openConsole(hub, port);
    endings.push(() => console.stop());
    return console.hasPages
      ? `Console ${console.link}`
      : `Console ${console.link} (its pages are not built: "make build" does that)`;
  } catch (error) {
    if (error instanceof FlotillaError || error instanceof UsageError) return `No console: ${error.message}`;
    throw error;
  }
}
