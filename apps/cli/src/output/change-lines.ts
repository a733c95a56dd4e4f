import type { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';

/** Lines of one kind of change that are printed; the rest is counted. */
const MOST_LINES = 12;
const LABEL = 9;
/** The column of texts behind their label, and of their folded lines. */
export const TEXT_COLUMN = LABEL + 4;

/** Returns a text behind its label. All lines of the text begin in the same column. */
export const labelled = (label: string, text: string): string =>
  `  ${label.padEnd(LABEL)}${text.replaceAll('\n', `\n${' '.repeat(LABEL + 2)}  `)}\n`;

/** Returns the first texts of one kind, behind one label, and the count of the others. */
export function listed(label: string, texts: readonly string[]): string[] {
  const shown = texts.slice(0, MOST_LINES).map((text, at) => labelled(at === 0 ? label : '', text));
  return texts.length > MOST_LINES ? [...shown, labelled('', `and ${texts.length - MOST_LINES} more`)] : shown;
}

/** Returns the changes of one CRD. */
export function crdText({ name, adds, removes, storage, breaking, owners }: FleetPlan['spec']['crds'][number]): string {
  const parts = [
    ...(adds.length === 0 ? [] : [`adds ${adds.join(', ')}`]),
    removes.length === 0 ? 'nothing removed' : `removes ${removes.join(', ')}`,
    ...(storage === undefined ? [] : [`stores ${storage}`]),
    ...breaking.map((one) => `BREAKS: ${one}`),
    ...(owners.length === 0 ? [] : [`also of ${owners.join(', ')}`]),
  ];
  return `${name}: ${parts.join('; ')}`;
}
