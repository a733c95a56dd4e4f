import {
  IMAGE_TEMPLATE_ANNOTATION,
  resolveImageTemplate,
  type TemplateOutcome,
} from '#core/classic/catalog-source/image-template';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { refOf } from '#core/kernel/api/kubernetes-object';
import { WriteWithheld } from '#platform/joining/cluster-writes';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';

/**
 * The annotation `olm.catalogImageTemplate` in one cluster: its result for that cluster's
 * version (why: catalogs.md "Image templates follow the cluster").
 */
export class ImageTemplates {
  #gitVersion: string | undefined;

  constructor(private readonly deps: Readonly<{ client: KubeClient; log: Log }>) {}

  /** False until the version of the API server is known: nothing can be resolved. */
  get ready(): boolean {
    return this.#gitVersion !== undefined;
  }

  /** Returns the version of the API server. Undefined: not known yet. */
  get serverVersion(): string | undefined {
    return this.#gitVersion;
  }

  isTemplated({ metadata }: CatalogSource): boolean {
    return Boolean(metadata.annotations?.[IMAGE_TEMPLATE_ANNOTATION]);
  }

  /** Reads the version of the API server again. If that fails, the last one stays. */
  async readVersion(): Promise<void> {
    const { client, log } = this.deps;
    try {
      this.#gitVersion = await client.serverVersion();
    } catch (err) {
      log.warn({ cluster: client.cluster, err }, 'could not read the version of the API server for image templates');
    }
  }

  outcomeOf({ metadata }: CatalogSource): TemplateOutcome | undefined {
    const template = metadata.annotations?.[IMAGE_TEMPLATE_ANNOTATION];
    return template ? resolveImageTemplate(template, this.#gitVersion) : undefined;
  }

  /**
   * The source with the image of its template: resolution need not wait until the image
   * is written to the cluster.
   */
  resolved(source: CatalogSource): CatalogSource {
    const outcome = this.outcomeOf(source);
    if (outcome?.resolved !== true || outcome.image === source.spec.image) return source;
    return { ...source, spec: { ...source.spec, image: outcome.image } };
  }

  /** Writes the resolved image into `spec.image` if that has another one (spec: catalog-sources.md §7). */
  async writeImage(source: CatalogSource): Promise<void> {
    const outcome = this.outcomeOf(source);
    if (outcome?.resolved !== true || outcome.image === source.spec.image) return;
    const { client, log } = this.deps;
    const { namespace, name, resourceVersion } = source.metadata;
    try {
      await client.patch(refOf(source), { metadata: { resourceVersion }, spec: { image: outcome.image } });
      log.info(
        { cluster: client.cluster, namespace, name, image: outcome.image },
        'wrote spec.image from its template',
      );
    } catch (err) {
      // A newer version of the object will arrive, or it is gone.
      if (KubeApiError.is(err, 'Conflict', 'NotFound') || err instanceof WriteWithheld) return;
      log.warn({ cluster: client.cluster, namespace, name, err }, 'could not write spec.image; retrying');
    }
  }
}
