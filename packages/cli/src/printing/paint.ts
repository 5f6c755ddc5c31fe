import { styleText } from 'node:util';

export type Paint = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Coloured only where stdout is a terminal and NO_COLOR does not object. */
export function paint(style: Paint, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** The same for stderr. */
export function paintError(style: Paint, text: string): string {
  return styleText(style, text, { stream: process.stderr });
}
