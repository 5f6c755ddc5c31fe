import { toBash } from './to-bash.ts';
import { toFish } from './to-fish.ts';
import { toZsh } from './to-zsh.ts';

export const SHELLS = { bash: toBash, zsh: toZsh, fish: toFish };
export type Shell = keyof typeof SHELLS;
