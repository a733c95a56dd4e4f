import { FlotillaError } from '../../kernel/errors/flotilla.error.js';

/** A template that cannot be rendered. `olmText` is opm's text for the same template. */
export class TemplateError extends FlotillaError {
  readonly code = 'TemplateError';
  readonly retry = 'when-input-changes';
  constructor(
    readonly olmText: string,
    /** Advice to the template's author. Empty if `olmText` contains it. */
    readonly advice = '',
    /** The error that kept an image from being rendered, if that is the reason. */
    override readonly cause?: Error,
  ) {
    super(advice === '' ? olmText : `${olmText} (${advice})`);
  }
}

/** Runs `action`. Prefixes a {@link TemplateError} in it with `where`, opm's words for the place. */
export function within<T>(where: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof TemplateError) throw new TemplateError(`${where}${error.olmText}`, error.advice, error.cause);
    throw error;
  }
}
