import { apiText } from '../../../catalog/model/bundle-facts.js';
import type { Entry } from '../../../catalog/model/entry.js';
import type { Requirement } from '../../../catalog/model/requirement.js';

/**
 * Describes a requirement in a person's words: `package harbor in >=1.0.0`, `API Site (web.test/v1)`; with
 * its author's message, at every depth.
 */
export function requirementWords(requirement: Requirement): string {
  const { failureMessage } = requirement;
  const said = failureMessage === undefined ? '' : ` (its author says: ${failureMessage})`;
  return `${bareWords(requirement)}${said}`;
}

function bareWords(requirement: Requirement): string {
  switch (requirement.kind) {
    case 'api':
      return `API ${apiText(requirement.api)}`;
    case 'package':
      return `package ${requirement.name} in ${requirement.rangeText}`;
    case 'label':
      return `an operator with label ${requirement.label}`;
    case 'all':
      return `one operator that is all of (${words(requirement.of)})`;
    case 'any':
      return `any of (${words(requirement.of)})`;
    case 'not':
      return `an operator other than (${words(requirement.of)})`;
    case 'cel':
      return `an operator for which ${requirement.rule.source} holds`;
  }
}

const words = (of: readonly Requirement[]): string => of.map(requirementWords).join('; ');

/** Returns the origin of an entry: `channel stable of catalog olm/shelf`, or `installed`. */
export const placeWords = ({ from, channel }: Entry): string =>
  from.kind === 'installed'
    ? 'installed'
    : `channel ${channel} of catalog ${from.catalog.namespace}/${from.catalog.name}`;
