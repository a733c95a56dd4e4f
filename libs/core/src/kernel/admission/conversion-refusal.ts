import { z } from 'zod';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { ownerText } from './webhook-owner.js';

/** A conversion webhook that failed, as far as the API server names it. */
export type StoppingConversion = Readonly<{
  group: string;
  kind: string;
  /** The Service of its address; undefined for any other address. */
  service: ServiceName | undefined;
}>;

type ServiceName = Readonly<{ namespace: string; name: string }>;

const FAILED = /conversion webhook for ([^\s/,]+)\/[^\s/,]+, Kind=(\S+) (?:failed|returned)/;
const SERVICE_ADDRESS = /"https:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc(?:[:/?"])/;

/** Returns the conversion webhook that an answer of the API server names, if it names one. */
export function conversionIn(said: string): StoppingConversion | undefined {
  const [, group, kind] = FAILED.exec(said) ?? [];
  if (group === undefined || kind === undefined) return undefined;
  const [, name, namespace] = SERVICE_ADDRESS.exec(said) ?? [];
  return { group, kind, service: name === undefined || namespace === undefined ? undefined : { namespace, name } };
}

/** Returns likely names of the CRD. The API server's answer names only the group and kind. */
export function likelyCrdNames({ group, kind }: StoppingConversion): readonly string[] {
  const singular = kind.toLowerCase();
  const plurals = [`${singular}s`, `${singular}es`, singular.replace(/y$/, 'ies'), singular];
  return [...new Set(plurals)].map((plural) => `${plural}.${group}`);
}

const Definition = z.looseObject({
  spec: z.looseObject({
    group: z.string(),
    names: z.looseObject({ kind: z.string() }),
    conversion: z
      .looseObject({
        webhook: z
          .looseObject({
            clientConfig: z
              .looseObject({ service: z.looseObject({ name: z.string(), namespace: z.string() }).nullish() })
              .nullish(),
          })
          .nullish(),
      })
      .nullish(),
  }),
});

/** True if the CRD defines the kind of the failed conversion. */
export function definesConverted({ group, kind }: StoppingConversion, crd: KubernetesObject): boolean {
  const { spec } = Definition.safeParse(crd).data ?? {};
  return spec?.group === group && spec.names.kind === kind;
}

/**
 * Returns a text to append to the API server's message. It names the CRD of the failed conversion webhook,
 * the Service that it calls, and its owner. Without the CRD, the text names the kind.
 */
export function whoseConversion(stopping: StoppingConversion, crd: KubernetesObject | undefined): string {
  const { group, kind } = stopping;
  const called = Definition.safeParse(crd).data?.spec.conversion?.webhook?.clientConfig?.service ?? stopping.service;
  const where = called ? `service ${called.namespace}/${called.name}` : 'a URL';
  const what = crd ? `CustomResourceDefinition ${crd.metadata.name}` : `kind ${kind} of group ${group}`;
  return `the conversion webhook is of ${what} (${where})${crd ? ownerText(crd) : ''}`;
}

/** The part of a message that {@link whoseConversion} added, with the name of the CRD. */
type NamedConversion = Readonly<{ crd: string; service: ServiceName | undefined }>;

const NAMED = /the conversion webhook is of CustomResourceDefinition (\S+) \((?:service ([^/\s]+)\/([^)\s]+)|a URL)\)/g;

/** Returns the conversion webhooks that a message names with their CRDs. */
export const namedConversions = (message: string): readonly NamedConversion[] =>
  [...message.matchAll(NAMED)].map(([, crd = '', namespace, name]) => ({
    crd,
    service: namespace === undefined || name === undefined ? undefined : { namespace, name },
  }));
