import type { Io } from '../terminal/io.js';
import type { DataFormat } from './data-format.js';

/** Prints an answer as data. The YAML library is read only then. */
export async function printData(io: Io, value: unknown, format: DataFormat): Promise<void> {
  const { dataText } = await import('./data-text.js');
  io.out(dataText(value, format));
}
