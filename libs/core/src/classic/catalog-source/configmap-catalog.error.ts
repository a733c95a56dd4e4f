import { FlotillaError, type Retry } from '../../kernel/errors/flotilla.error.js';

/**
 * A ConfigMap without a catalog that OLM's configmap-server would serve. The message gives the reason, in
 * OLM's words if it has some.
 */
export class ConfigMapCatalogError extends FlotillaError {
  readonly code = 'InvalidConfigMapCatalog';
  readonly retry: Retry = 'when-input-changes';
}
