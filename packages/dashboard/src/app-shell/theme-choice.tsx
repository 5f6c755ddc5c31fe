import { Segmented } from '../ui/segmented.tsx';
import * as words from './app-shell.words.ts';
import { chooseTheme, type Theme, useTheme } from './theme.ts';

const OPTIONS: { value: Theme; label: string }[] = [
  { value: 'system', label: words.systemTheme },
  { value: 'light', label: words.lightTheme },
  { value: 'dark', label: words.darkTheme },
];

export function ThemeChoice() {
  return <Segmented legend={words.theme} options={OPTIONS} value={useTheme()} onChange={chooseTheme} />;
}
