import type { ClusterServiceVersion, WebhookDescription } from '../../../kernel/api/cluster-service-version.js';
import { ownedApiServices, webhooks } from '../../../kernel/api/csv-facts.js';
import { certificatesUnreadable } from '../world/certificates-of.js';
import type { CsvWorld } from '../world/csv-world.js';
import { configurationOf, isAdmission } from './admission-webhooks.js';
import { apiServiceName, caBundleOf } from './api-services.js';
import { convertsThroughWebhook } from './conversion-webhooks.js';

/**
 * True if the authority by which the API server trusts the operator is unknown. A Secret with a certificate,
 * an APIService, a webhook configuration or a conversion is then missing, or has no authority (spec:
 * csv-lifecycle.md §3, "CA bundle or cert secret unreadable"). A reinstall restores it.
 */
export const authorityLost = (csv: ClusterServiceVersion, world: CsvWorld): boolean =>
  certificatesUnreadable(csv, world) ||
  ownedApiServices(csv).some((api) => !caBundleOf(world.apiServices.get(apiServiceName(api)))) ||
  webhooks(csv).some((description) => !isCalledThrough(description, world));

const isCalledThrough = (description: WebhookDescription, world: CsvWorld): boolean =>
  isAdmission(description)
    ? configurationOf(world, description) !== undefined
    : (description.conversionCRDs ?? []).some((name) => convertsThroughWebhook(world.crds.get(name)));
