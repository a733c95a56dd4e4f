import { z } from 'zod';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject, ObjectRef } from '../../kernel/api/kubernetes-object.js';

/** OpenShift's switch for the CatalogSources that it ships. */
export const OPERATOR_HUB: ObjectRef = { ...KIND.OperatorHub, name: 'cluster' };

/**
 * Type of the condition of a default CatalogSource that the OperatorHub disables; absent while it does not.
 */
export const DISABLED_CONDITION = 'DisabledByOperatorHub';
export const DISABLED_TEXT =
  'OperatorHub cluster disables this default source: it counts as absent, and the marketplace operator deletes it';

const MANAGED_BY = 'operatorframework.io/managed-by';
const MARKETPLACE = 'marketplace-operator';

const Spec = z.object({
  spec: z
    .object({
      disableAllDefaultSources: z.boolean().optional(),
      sources: z.array(z.object({ name: z.string(), disabled: z.boolean().optional() })).optional(),
    })
    .optional(),
});

/** True if the marketplace operator manages this source, so that it is a default one. */
export const isManagedByMarketplace = ({ metadata }: Pick<CatalogSource, 'metadata'>): boolean =>
  metadata.annotations?.[MANAGED_BY] === MARKETPLACE;

/**
 * True if the OperatorHub disables a CatalogSource. Only sources managed by the marketplace operator are
 * affected; it marks them with an annotation. A user's source with the name of a disabled one and a copied
 * image is normal in clusters without internet, and stays enabled. An entry for a name in `sources` overrides
 * `disableAllDefaultSources`.
 */
export function isDisabledByHub(source: Pick<CatalogSource, 'metadata'>, hub: KubernetesObject | undefined): boolean {
  if (!isManagedByMarketplace(source)) return false;
  const { disableAllDefaultSources = false, sources = [] } = Spec.safeParse(hub).data?.spec ?? {};
  const own = sources.findLast(({ name }) => name === source.metadata.name);
  return own === undefined ? disableAllDefaultSources : (own.disabled ?? false);
}
