import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useShortcutsOn } from './use-shortcuts.ts';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['j', 'next request'],
  ['k', 'the one before'],
  ['o', 'open it; so does Enter'],
  ['a', 'approve it: asked once more'],
  ['d', 'deny it, with a reason'],
  ['x', 'select it, for several at once'],
  ['n', 'show what has arrived'],
  ['/', 'search'],
  ['Esc', 'cancel, or clear the selection'],
  ['?', 'this help'],
];

export function ShortcutHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [isOn, setOn] = useShortcutsOn();
  return (
    <Dialog open={open} title="Keys" onClose={onClose}>
      <dl className="inbox-keys">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd className="key">{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label="Single keys do these things"
        hint="Turn it off if keys act when you do not mean them to, for instance with speech input."
        checked={isOn}
        onChange={(event) => setOn(event.target.checked)}
      />
    </Dialog>
  );
}
