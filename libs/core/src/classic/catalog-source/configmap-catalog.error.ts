import { FlotillaError, type Retry } from '../../kernel/errors/flotilla.error.js';

/**
 * A ConfigMap that holds no catalog OLM's configmap-server would serve; the message says why, in its
 * words where it has some.
 */
export class ConfigMapCatalogError extends FlotillaError {
  readonly code = 'InvalidConfigMapCatalog';
  readonly retry: Retry = 'when-input-changes';
}
