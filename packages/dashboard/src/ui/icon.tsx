/** Small line icons on a grid of 16 units. They are decorative: the words next to them carry the meaning. */
const PATHS = {
  account: 'M8 8.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c.4-2.6 2.6-4 5.5-4s5.1 1.4 5.5 4',
  agent: 'M3.5 6.5h9v6h-9zM8 6.5V3.5M8 3.5h.01M6 9.5h.01M10 9.5h.01M1.5 9v1.5M14.5 9v1.5',
  alert: 'M8 2 1.5 13.5h13L8 2ZM8 6.5v3M8 11.6v.01',
  audit: 'M4 1.5h6l3 3v10H4zM10 1.5v3h3M6.5 8h4M6.5 11h4',
  bell: 'M4 7a4 4 0 0 1 8 0c0 4 1.5 4.5 1.5 4.5h-11S4 11 4 7ZM6.5 13.8c.8.9 2.2.9 3 0',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  chevron: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  clock: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 4.5V8l2.5 1.5',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  group:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c.3-2.5 2-4 4.5-4s4.2 1.5 4.5 4M10.5 2.8a2.4 2.4 0 0 1 0 4.5M12 9.8c1.5.5 2.3 1.8 2.5 3.7',
  history: 'M2 8a6 6 0 1 0 2-4.5L2 5.5M2 2v3.5h3.5M8 5v3.2l2 1.3',
  inbox: 'M1.5 9.5 3.5 3h9l2 6.5v4h-13zM1.5 9.5H5.5l1 2h3l1-2h4',
  info: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 7.5V11M8 5v.01',
  key: 'M10.5 8.5a3.5 3.5 0 1 0-3.2-2L2 11.8V14h2.5v-1.5H6V11h1.5l1.3-2.8c.5.2 1.1.3 1.7.3ZM11 5h.01',
  laptop: 'M3 3h10v7.5H3zM1 13h14',
  member: 'M6.5 7.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM1 14c.4-2.6 2.4-4 5.5-4 1 0 2 .2 2.7.5M12.5 9v5M10 11.5h5',
  menu: 'M2 4h12M2 8h12M2 12h12',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  overview: 'M2 13.5h12M4 13.5v-4M8 13.5v-9M12 13.5V7',
  passkey:
    'M6 7.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM1 14c.3-2.7 2-4.2 4.8-4.2M12 9.5a2 2 0 1 0-1-3.7 2 2 0 0 0 .2 3.6V14l1 1 1.2-1.2-.8-1 .8-1-.9-1z',
  plus: 'M8 3v10M3 8h10',
  policy: 'M8 1.5 2.5 3.5V8c0 3.5 2.5 5.5 5.5 6.5 3-1 5.5-3 5.5-6.5V3.5zM5.5 8l2 2 3.2-3.7',
  print: 'M4 5.5v-4h8v4M4 11.5H2v-6h12v6h-2M4 9.5h8v5H4z',
  refresh: 'M13.5 8A5.5 5.5 0 1 1 11.8 4M13.5 1.5V4.5h-3',
  search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM10.8 10.8 14 14',
  settings:
    'M2 4.5h6M11 4.5h3M2 11.5h3M8 11.5h6M9.5 6.3a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM6.5 13.3a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Z',
  shield: 'M8 1.5 2.5 3.5V8c0 3.5 2.5 5.5 5.5 6.5 3-1 5.5-3 5.5-6.5V3.5z',
  'sign-out': 'M9.5 2.5h-7v11h7M6 8h8.5M11.5 5l3 3-3 3',
  stop: 'M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3zM5.5 8h5',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  tool: 'M9.8 2.1a3.5 3.5 0 0 0-3.2 4.7L2 11.4V14h2.6l4.6-4.6a3.5 3.5 0 0 0 4.7-4.3L11.5 7.4 8.6 4.5l2.4-2.3a3.5 3.5 0 0 0-1.2-.1Z',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9.5h6.6l.7-9.5',
  webhook:
    'M8 6.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM3.8 14a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM12.2 14a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM7 6.3 5 9.7M9 6.3l2 3.4M6.1 11.7h3.8',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.2 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
