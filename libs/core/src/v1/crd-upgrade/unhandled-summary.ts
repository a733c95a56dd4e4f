const SUMMARY = 'unhandled changes found';

type Change = { before: string; after: string; beforeRaw: string; afterRaw: string };

/**
 * Returns OLM's short form of crdify's diff: the fields on lines with a sign, with their values
 * (operator-controller v1.11.0, crdupgradesafety.conciseUnhandledMessage).
 */
export function unhandledSummary(diff: string): string {
  const details = [...changesOf(diff)].flatMap(([field, change]) => detail(field, change));
  return details.length === 0 ? SUMMARY : `${SUMMARY} (${details.join('; ')})`;
}

function changesOf(diff: string): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  for (const line of diff.split('\n').map((one) => one.trim())) {
    const colon = line.indexOf(':');
    const isRemoved = line.startsWith('-');
    if (colon < 0 || !(isRemoved || line.startsWith('+'))) continue;
    const cleaned = line.slice(1).trim().replace(/,$/, '');
    const field = cleaned.slice(0, cleaned.indexOf(':')).trim();
    if (!cleaned.includes(':') || field === '') continue;
    const raw = cleaned.slice(cleaned.indexOf(':') + 1).trim();
    const change = changes.get(field) ?? { before: '', after: '', beforeRaw: '', afterRaw: '' };
    changes.set(field, change);
    if (isRemoved) Object.assign(change, { before: shown(raw), beforeRaw: raw });
    else Object.assign(change, { after: shown(raw), afterRaw: raw });
  }
  return changes;
}

function detail(field: string, { before, after, beforeRaw, afterRaw }: Change): string[] {
  if (before === after && beforeRaw === afterRaw) return [];
  const changed = before === after ? ' (changed)' : '';
  return [`${field} ${before || '<empty>'} -> ${after || '<empty>'}${changed}`];
}

function shown(raw: string): string {
  const value = raw.replace(/,$/, '').trim();
  if (value === '') return '<empty>';
  const plain = value.replaceAll('v1.', '');
  return plain.includes('JSONSchemaProps') ? '<complex value>' : plain;
}
