import type { Command } from 'commander';
import type { Io } from '../io.js';

export const catalogCommand = (program: Command, _io: Io): Command => program.command('catalog');
