import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** A folder that cannot be used as a fleet: the fault, with the place. */
export class FleetFolderError extends FlotillaError {
  readonly code = 'FleetFolderError';
  readonly retry: Retry = 'when-input-changes';
}
