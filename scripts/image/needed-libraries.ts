/** A program in ELF that cannot be read: it is none, or of 32 bits. */
export class NoElf extends Error {}

/** The loader of a program and the libraries that it names. */
export type Needed = Readonly<{ loader?: string; libraries: readonly string[] }>;

const LOAD = 1;
const DYNAMIC = 2;
const INTERPRETER = 3;
const NEEDED = 1n;
const STRINGS = 5n;

type Segment = Readonly<{ type: number; offset: number; address: bigint; size: number }>;

/** Reads the needs of a program or a library of 64 bits, of any processor. Throws {@link NoElf}. */
export function neededBy(file: Buffer): Needed {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) {
    throw new NoElf('no ELF of 64 bits, least byte first');
  }
  const segments = segmentsOf(file);
  const interpreter = segments.find(({ type }) => type === INTERPRETER);
  const entries = dynamicEntries(file, segments);
  const strings = entries.find(([tag]) => tag === STRINGS)?.[1] ?? 0n;
  const start = offsetOf(strings, segments);
  return {
    ...(interpreter && { loader: textAt(file, interpreter.offset) }),
    libraries: entries.filter(([tag]) => tag === NEEDED).map(([, value]) => textAt(file, start + Number(value))),
  };
}

function segmentsOf(file: Buffer): readonly Segment[] {
  const table = Number(file.readBigUInt64LE(32));
  const size = file.readUInt16LE(54);
  return Array.from({ length: file.readUInt16LE(56) }, (_, at) => {
    const head = table + at * size;
    return {
      type: file.readUInt32LE(head),
      offset: Number(file.readBigUInt64LE(head + 8)),
      address: file.readBigUInt64LE(head + 16),
      size: Number(file.readBigUInt64LE(head + 32)),
    };
  });
}

function dynamicEntries(file: Buffer, segments: readonly Segment[]): readonly (readonly [bigint, bigint])[] {
  const { offset = 0, size = 0 } = segments.find(({ type }) => type === DYNAMIC) ?? {};
  return Array.from({ length: size / 16 }, (_, at) => {
    const entry = offset + at * 16;
    return [file.readBigUInt64LE(entry), file.readBigUInt64LE(entry + 8)] as const;
  });
}

function offsetOf(address: bigint, segments: readonly Segment[]): number {
  const within = segments.find(
    (one) => one.type === LOAD && one.address <= address && address < one.address + BigInt(one.size),
  );
  return within === undefined ? 0 : within.offset + Number(address - within.address);
}

const textAt = (file: Buffer, offset: number): string => file.toString('utf8', offset, file.indexOf(0, offset));
