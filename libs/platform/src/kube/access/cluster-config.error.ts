import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/**
 * A kubeconfig, or a cluster in it, is unusable. The message names the file, the context and the necessary
 * change.
 */
export class ClusterConfigError extends FlotillaError {
  readonly code = 'ClusterConfigError';
  readonly retry: Retry = 'when-input-changes';
  constructor(
    /** The context, if the failure is of one context. */
    readonly context: string | undefined,
    message: string,
  ) {
    super(message);
  }
}
