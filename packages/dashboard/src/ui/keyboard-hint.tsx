import { useShortcutsOn } from './use-shortcuts.ts';

/** A keyboard key. Hidden on devices without a keyboard, and when single-key shortcuts are off. */
export function KeyboardHint({ keys }: { keys: string }) {
  const [isOn] = useShortcutsOn();
  return isOn && <kbd className="key hint-only">{keys}</kbd>;
}
