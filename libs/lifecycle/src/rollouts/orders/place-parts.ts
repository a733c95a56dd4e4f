import type { HubKey } from '#platform/keys/hub-key';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ExtensionDeps } from '../../v1/extensions/extension-deps.js';
import { AppliedNotes } from '../assignments/applied-notes.js';
import type { OrderPlace } from '../assignments/order-place.js';
import { ClassicPreviews } from '../previews/classic-previews.js';
import { ExtensionPlans } from '../previews/extension-plans.js';
import { EarlierBundles } from './earlier-bundles.js';

type PartsHub = ConstructorParameters<typeof ClassicPreviews>[0] &
  ConstructorParameters<typeof EarlierBundles>[0] &
  Readonly<{ key?: HubKey | undefined }>;

/** What orders are carried out with in each cluster beside the clients; one for all clusters of a hub. */
export function placeParts(hub: PartsHub, extension?: ExtensionDeps) {
  const previews = new ClassicPreviews(hub);
  const earlier = new EarlierBundles(hub);
  const notes = new AppliedNotes(hub.key);
  const extensions = extension && new ExtensionPlans(extension, hub.clock);
  return (client: KubeClient, globalCatalogNamespace: string) =>
    ({
      notes,
      ...(extensions === undefined ? {} : { extensions }),
      preview: (desired) => previews.of(client, desired, globalCatalogNamespace),
      leadsNowhere: (subscription) => previews.leadsNowhere(client, subscription, globalCatalogNamespace),
      deprecationsOf: (namespace, asked, bundle) =>
        previews.deprecationsOf({ cluster: client.cluster, namespace }, asked, bundle),
      bundleObjects: (reference, plan) => earlier.objectsOf(client, { reference, plan, globalCatalogNamespace }),
      offersBundle: (subscription, bundle) => earlier.notOffered(client.cluster, subscription, bundle),
    }) satisfies Partial<OrderPlace>;
}
