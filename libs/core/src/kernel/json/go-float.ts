/**
 * Writes a number as Go's `%v` does: the shortest digits that read back the same, with an exponent from a
 * million on.
 */
export function goFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < EXPONENT_FROM) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

const EXPONENT_FROM = 6;
