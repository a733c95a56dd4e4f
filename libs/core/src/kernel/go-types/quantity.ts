const FORM = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([numkMGTPE]?)|([eE])([+-]?[0-9]{1,2}))$/;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
/** Quantities are counted in billionths. */
const SCALE = 1_000_000_000n;
const MAX_LENGTH = 64;

/**
 * Returns a resource quantity in Kubernetes' canonical form: no fraction, and the largest suffix that allows
 * for that (`1000m` is `1`, `1.5Gi` is `1536Mi`). A value that is no quantity, or finer than a billionth,
 * stays as it is.
 */
export function canonicalQuantity(value: unknown): unknown {
  const parsed = parseQuantity(value);
  if (parsed === undefined) return value;
  const { amount, isNegative, binary, exponential } = parsed;
  const prefix = isNegative && amount > 0n ? '-' : '';
  if (amount === 0n) return '0';
  if (binary && amount % SCALE === 0n) return prefix + inBinary(amount / SCALE);
  return prefix + inDecimal(amount, exponential);
}

/** Returns a resource quantity as a number of its unit (`1.5Ki` is 1536). Returns undefined if it is none. */
export function quantityNumber(value: unknown): number | undefined {
  const parsed = parseQuantity(value);
  if (parsed === undefined) return undefined;
  return (Number(parsed.amount) / Number(SCALE)) * (parsed.isNegative ? -1 : 1);
}

type ParsedQuantity = Readonly<{ amount: bigint; isNegative: boolean; binary: boolean; exponential: boolean }>;

/** Reads a quantity in billionths. Returns undefined if it is no quantity, or a finer one. */
function parseQuantity(value: unknown): ParsedQuantity | undefined {
  const written = typeof value === 'number' ? String(value) : value;
  if (typeof written !== 'string' || written.length > MAX_LENGTH) return undefined;
  const [, sign = '', whole = '', fraction = '', binary, decimal, exponential, exponent = '0'] =
    FORM.exec(written) ?? [];
  if (whole + fraction === '') return undefined;
  const digits = BigInt(whole + fraction) * SCALE;
  const unit = 10n ** BigInt(fraction.length);
  const power = exponential === undefined ? 3 * (DECIMAL.indexOf(decimal ?? '') - 3) : Number(exponent);
  const multiplied =
    digits * (binary === undefined ? 10n ** BigInt(Math.max(power, 0)) : 1024n ** BigInt(BINARY.indexOf(binary)));
  const divisor = unit * (binary === undefined ? 10n ** BigInt(Math.max(-power, 0)) : 1n);
  if (multiplied % divisor !== 0n) return undefined;
  const amount = multiplied / divisor;
  return { amount, isNegative: sign === '-', binary: binary !== undefined, exponential: exponential !== undefined };
}

function inBinary(amount: bigint): string {
  let rest = amount;
  let step = 0;
  for (; rest % 1024n === 0n && step < BINARY.length - 1; step++) rest /= 1024n;
  return `${rest}${BINARY[step]}`;
}

function inDecimal(billionths: bigint, exponential: boolean): string {
  let rest = billionths;
  let step = 0;
  for (; rest % 1000n === 0n && step < DECIMAL.length - 1; step++) rest /= 1000n;
  const power = 3 * (step - 3);
  return exponential ? `${rest}${power === 0 ? '' : `e${power}`}` : `${rest}${DECIMAL[step]}`;
}
