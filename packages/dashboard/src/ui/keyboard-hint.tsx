import { useShortcutsOn } from './use-shortcuts.ts';

/** A key as it is printed on the keyboard; not shown where there is none, or where single keys are turned off. */
export function KeyboardHint({ keys }: { keys: string }) {
  const [isOn] = useShortcutsOn();
  return isOn && <kbd className="key hint-only">{keys}</kbd>;
}
