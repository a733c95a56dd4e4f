const FACTOR: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/**
 * Parses Kubernetes' text of an amount of bytes, such as `512Mi` or `4Gi` or `1000`. Returns undefined if it
 * is none.
 */
export function parseBytes(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([kMGT]|[KMGT]i)?$/.exec(text) ?? [];
  const bytes = Math.round(Number(amount) * (FACTOR[unit] ?? Number.NaN));
  return amount !== undefined && Number.isSafeInteger(bytes) ? bytes : undefined;
}
