import { bundleFacts } from '../../../catalog/model/bundle-facts.js';
import { type Candidate, meets } from '../../../catalog/model/requirement.js';
import { requirementsOf } from '../../../catalog/model/requirements-of.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { parseTolerant } from '../../../kernel/versions/blang-version.js';
import { requirementWords } from '../constraints/plain-words.js';
import { installedEntries } from '../problem/installed-entries.js';
import type { ChosenBundle, DesiredNamespace } from '../problem/resolution-problem.js';

/**
 * Returns the reasons a bundle was chosen, one sentence each: Subscriptions first, then the requirements of
 * other bundles.
 */
export function whyChosen(bundle: ChosenBundle, chosen: readonly ChosenBundle[], desired: DesiredNamespace): string[] {
  const asking = desired.subscriptions
    .filter(({ package: name, channel, source, sourceNamespace }) => {
      const sameChannel = channel === '' || channel === bundle.channel;
      return (
        name === bundle.package &&
        sameChannel &&
        source === bundle.catalog &&
        sourceNamespace === bundle.catalogNamespace
      );
    })
    .map(({ name }) => `Subscription ${name}`);
  const candidate = candidateOf(bundle);
  const existing = installedEntries(desired);
  const installed = 'error' in existing ? [] : existing.value;
  const others = [...chosen.filter((other) => other !== bundle), ...installed];
  const needed = others.flatMap(({ name, properties }) => {
    const requirements = requirementsOf(properties);
    if ('error' in requirements) return [];
    return requirements
      .filter((requirement) => meets(candidate, requirement))
      .map((requirement) => `${name} needs ${requirementWords(requirement)}`);
  });
  return [...asking, ...[...new Set(needed)].sort(byCodeUnit)];
}

function candidateOf({ package: name, version: text, properties }: ChosenBundle): Candidate {
  const version = parseTolerant(text);
  return {
    package: name,
    properties,
    facts: bundleFacts(properties),
    version: 'error' in version ? undefined : version,
  };
}
