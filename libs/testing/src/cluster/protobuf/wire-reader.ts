/**
 * The number of a field and the value as it stands on the wire: a varint, eight or four
 * bytes, or a run of bytes.
 */
export type WireField = Readonly<{ number: number; value: bigint | Buffer; wireType: number }>;

/** The bytes are not protobuf. */
export class WireFormatError extends Error {}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const MAX_VARINT_BYTES = 10;

/** The fields of one message in the order of the wire. */
export function wireFields(message: Buffer): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const take = (length: number): Buffer => {
    if (length > message.length - at) throw new WireFormatError('unexpected EOF');
    at += length;
    return message.subarray(at - length, at);
  };
  const varint = (): bigint => {
    let value = 0n;
    for (let count = 0; count < MAX_VARINT_BYTES; count += 1) {
      const [byte = 0] = take(1);
      value |= BigInt(byte & 0x7f) << BigInt(7 * count);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireFormatError('integer overflow');
  };
  while (at < message.length) {
    const tag = Number(varint());
    const wireType = tag % 8;
    const number = Math.floor(tag / 8);
    if (number === 0) throw new WireFormatError(`illegal tag ${number}`);
    if (wireType === VARINT) fields.push({ number, wireType, value: varint() });
    else if (wireType === BYTES) fields.push({ number, wireType, value: take(Number(varint())) });
    else if (wireType === FIXED64) fields.push({ number, wireType, value: take(8) });
    else if (wireType === FIXED32) fields.push({ number, wireType, value: take(4) });
    else throw new WireFormatError(`illegal wireType ${wireType}`);
  }
  return fields;
}

export const bytesOf = ({ value, number }: WireField): Buffer => {
  if (typeof value === 'bigint') throw new WireFormatError(`wrong wireType for field ${number}`);
  return value;
};

export const varintOf = ({ value, number }: WireField): bigint => {
  if (typeof value !== 'bigint') throw new WireFormatError(`wrong wireType for field ${number}`);
  return BigInt.asIntN(64, value);
};
