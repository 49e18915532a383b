/** Line icons of 16 by 16 pixels in the colour of the text. They are decorative, so that their parent needs a label. */

const PATHS = {
  play: 'M5 3.5v9l7.5-4.5z',
  download: 'M8 2.5v7.5M4.8 7 8 10.2 11.2 7M2.8 13.2h10.4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  link: 'M6.6 9.4l2.8-2.8M7.4 4.6l1.2-1.2a2.8 2.8 0 0 1 4 4l-1.2 1.2M8.6 11.4l-1.2 1.2a2.8 2.8 0 0 1-4-4l1.2-1.2',
  help: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM6.2 6.2a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.8.6-.8 1.2M8 11.3v.2',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M3.4 12.6l1.1-1.1M11.5 4.5l1.1-1.1',
  moon: 'M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z',
  contrast: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM8 1.8v12.4M8 5h4.6M8 8h6M8 11h4.6',
  minus: 'M3.5 8h9',
  plus: 'M3.5 8h9M8 3.5v9',
  up: 'M3.5 10 8 5.5l4.5 4.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  find: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.4 3.4',
  list: 'M2.5 4h1M5.5 4h8M4.5 8h1M7.5 8h6M4.5 12h1M7.5 12h6',
  close: 'M4 4l8 8M12 4l-8 8',
  pages: 'M2.5 2.5h4v5h-4zM2.5 9.5h4v4h-4zM8.5 3.5h5M8.5 6h5M8.5 10.5h5M8.5 13h3',
  width: 'M2 3v10M14 3v10M4.5 8h7M6.3 6 4.3 8l2 2M9.7 6l2 2-2 2',
  page: 'M3.5 2h9v12h-9zM5.8 5h4.4M5.8 8h4.4M5.8 11h2.4',
  reset: 'M3.2 6.2A5.2 5.2 0 1 1 2.8 9M3.2 2.6v3.6h3.6',
  book: 'M8 4.2C6.5 3 4.5 2.7 2 2.8v9.6c2.5-.1 4.5.2 6 1.4 1.5-1.2 3.5-1.5 6-1.4V2.8c-2.5-.1-4.5.2-6 1.4zM8 4.2v9.6',
  check: 'M3 8.5 6.5 12 13 4.5',
  alert: 'M8 2 14.5 13.5h-13zM8 6.5v3M8 11.4v.2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
