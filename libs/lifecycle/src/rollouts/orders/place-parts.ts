import type { HubKey } from '#platform/keys/hub-key';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ExtensionDeps } from '../../v1/extensions/extension-deps.js';
import { ClassicPreviews } from '../previews/classic-previews.js';
import { ExtensionPlans } from '../previews/extension-plans.js';
import { EarlierBundles } from './classic/earlier-bundles.js';
import { AppliedNotes } from './place/applied-notes.js';
import type { OrderPreviews } from './place/order-place.js';

type PartsHub = ConstructorParameters<typeof ClassicPreviews>[0] &
  ConstructorParameters<typeof EarlierBundles>[0] &
  Readonly<{ key?: HubKey | undefined }>;

/** Wires the inputs of orders other than the clients; one set for all clusters of a hub. */
export function placeParts(hub: PartsHub, extension?: ExtensionDeps) {
  const classic = new ClassicPreviews(hub);
  const earlier = new EarlierBundles(hub);
  const notes = new AppliedNotes(hub.key);
  const extensions = extension && new ExtensionPlans(extension, hub.clock);
  return (client: KubeClient, globalCatalogNamespace: string) => ({
    notes,
    previews: {
      ...(extensions === undefined ? {} : { extensions }),
      preview: (desired) => classic.of(client, desired, globalCatalogNamespace),
      checkEnd: (subscription) => classic.checkEnd(client, subscription, globalCatalogNamespace),
      askDeprecations: (namespace, asked, bundle) =>
        classic.askDeprecations({ cluster: client.cluster, namespace }, asked, bundle),
      fetchObjects: (reference, plan) => earlier.objectsOf(client, { reference, plan, globalCatalogNamespace }),
      whyNotOffered: (subscription, bundle) => earlier.notOffered(client.cluster, subscription, bundle),
    } satisfies OrderPreviews,
  });
}
