import { readFileSync, watchFile } from 'node:fs';

// Loaded by Node before a service: its clock is ahead by the milliseconds in a file. Timers and
// `performance.now()` do not jump, as with a clock that is set anew.

const file = process.env['FLOTILLA_TEST_CLOCK_FILE'] ?? '';
const RealDate = Date;
let aheadMs = 0;

class ShiftedDate extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]));
  }

  static override now(): number {
    return RealDate.now() + aheadMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;

function read(): void {
  try {
    aheadMs = Number(readFileSync(file, 'utf8'));
  } catch {
    aheadMs = 0; // there is no file before the first jump
  }
}

read();
watchFile(file, { interval: 100, persistent: false }, read);
