import type { DeprecationEntry } from '../../catalog/model/catalog.js';
import { DEPRECATED } from '../../kernel/conditions/deprecation-types.js';
import { type ExtensionCondition, extensionCondition } from '../revision/extension-condition.js';

const UNKNOWN = 'deprecation status unknown: catalog data unavailable';
const ABSENT = 'no bundle installed yet';

/**
 * The four conditions when no catalog can be asked: resolution failed or was not tried
 * (spec: v1-extension.md).
 */
export const unknownDeprecation = (installedName: string | undefined): ExtensionCondition[] => [
  unknown(DEPRECATED),
  unknown('PackageDeprecated'),
  unknown('ChannelDeprecated'),
  installedName === undefined
    ? extensionCondition('BundleDeprecated', 'Unknown', 'Absent', ABSENT)
    : unknown('BundleDeprecated'),
];

const unknown = (type: ExtensionCondition['type']): ExtensionCondition =>
  extensionCondition(type, 'Unknown', 'DeprecationStatusUnknown', UNKNOWN);

/**
 * The four conditions from the catalog's deprecations: of the package, of the channels named in the spec (of
 * any, when none is named), and of the installed bundle. Entries without message have no effect.
 */
export function deprecationConditions(
  entries: readonly DeprecationEntry[],
  channels: readonly string[],
  installedName: string,
): ExtensionCondition[] {
  const messages = (schema: string, applies: (name: string) => boolean): string[] =>
    entries
      .filter(({ reference, message }) => reference.schema === schema && message !== '' && applies(reference.name))
      .map(({ message }) => message);
  const ofPackage = messages('olm.package', () => true);
  const ofChannel = messages('olm.channel', (name) => channels.length === 0 || channels.includes(name));
  const ofBundle = messages('olm.bundle', (name) => name === installedName);
  return [
    verdict(DEPRECATED, [...ofPackage, ...ofChannel, ...ofBundle], 'not deprecated'),
    verdict('PackageDeprecated', ofPackage, 'package not deprecated'),
    verdict('ChannelDeprecated', ofChannel, 'channel not deprecated'),
    verdict('BundleDeprecated', ofBundle, 'bundle not deprecated'),
  ];
}

const verdict = (
  type: ExtensionCondition['type'],
  messages: readonly string[],
  otherwise: string,
): ExtensionCondition =>
  messages.length > 0
    ? extensionCondition(type, 'True', 'Deprecated', messages.join('\n'))
    : extensionCondition(type, 'False', 'NotDeprecated', otherwise);
