import { InvalidSettings, readSettings, type Settings } from '#platform/config/settings';
import { UsageError } from '../terminal/io.js';

/**
 * The hub's settings, as the environment of this command has them. @throws UsageError naming every bad one
 */
export function commandSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  try {
    return readSettings(environment);
  } catch (error) {
    throw error instanceof InvalidSettings ? new UsageError(error.message) : error;
  }
}
