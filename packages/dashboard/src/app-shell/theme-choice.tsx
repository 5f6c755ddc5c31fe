import { Segmented } from '../ui/segmented.tsx';
import { chooseTheme, type Theme, useTheme } from './theme.ts';

const OPTIONS: { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function ThemeChoice() {
  return <Segmented legend="Colours" options={OPTIONS} value={useTheme()} onChange={chooseTheme} />;
}
