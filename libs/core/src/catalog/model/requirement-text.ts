import { goQuote } from '../../kernel/versions/go-quote.js';
import type { Requirement } from './requirement.js';

/** Writes the requirement in OLM's words, as they stand in its messages (spec: classic-resolution.md §5). */
export function requirementText(requirement: Requirement): string {
  switch (requirement.kind) {
    case 'api': {
      const { group, version, kind } = requirement.api;
      return `providing an API with group: ${group}, version: ${version}, kind: ${kind}`;
    }
    case 'package':
      return `with package: ${requirement.name} and with version in range: ${requirement.rangeText}`;
    case 'label':
      return `with label: ${requirement.label}`;
    case 'all':
      return joined(requirement.of, ' and ');
    case 'any':
      return joined(requirement.of, ' or ');
    case 'not':
      return joined(requirement.of, ' and not ');
    case 'cel':
      return `with constraint: ${goQuote(requirement.rule.source)} and message: ${goQuote(requirement.failureMessage ?? '')}`;
  }
}

const joined = (of: readonly Requirement[], word: string): string => of.map(requirementText).join(word);
