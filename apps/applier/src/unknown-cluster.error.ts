import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** A job names a cluster that this applier does not manage. */
export class UnknownCluster extends FlotillaError {
  readonly code = 'UnknownCluster';
  /** An applier with a newer kubeconfig may take the job next time. */
  readonly retry: Retry = { afterMs: 30_000 };
  constructor(cluster: string, known: readonly string[]) {
    super(
      `cluster "${cluster}" is not among those this applier manages (${known.join(', ')}): give poller and applier the same kubeconfig and contexts`,
    );
  }
}
