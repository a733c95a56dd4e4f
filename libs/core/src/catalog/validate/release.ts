import { parseVersion } from '../../kernel/versions/blang-version.js';
import { goQuote } from '../../kernel/versions/go-quote.js';

const MAX_RELEASE = 20;

/**
 * Returns the reason why a text is no release, in opm's words (spec: file-based-catalogs.md §3.3). Returns
 * undefined when it is one.
 */
export function releaseProblem(release: string): string | undefined {
  const why = whyNot(release);
  return why === undefined ? undefined : `invalid release ${goQuote(release)}: ${why}`;
}

function whyNot(release: string): string | undefined {
  if (release.length > MAX_RELEASE) return `exceeds maximum length of ${MAX_RELEASE} characters`;
  // A segment is valid exactly if it could be a pre-release identifier.
  const problems = release.split('.').flatMap((segment, index) => {
    const parsed = segment.includes('+') ? undefined : parseVersion(`0.0.0-${segment}`);
    if (parsed === undefined) {
      return [`segment ${index}: Invalid character(s) found in prerelease ${goQuote(segment)}`];
    }
    return 'error' in parsed ? [`segment ${index}: ${parsed.error}`] : [];
  });
  return problems.length === 0 ? undefined : problems.join('\n');
}
