/** The packages of one ecosystem, the most used first, and the files that declare them. */
export interface Ecosystem {
  files: readonly string[]
  packages: readonly string[]
}

const npm: Ecosystem = {
  files: ['package.json'],
  packages: list(`
    typescript react lodash express vitest eslint @types/node react-dom hono axios jest prettier zod next vite
    tailwindcss webpack dotenv chalk commander uuid dayjs vue @babel/core postcss ts-node nodemon cors date-fns rxjs
    esbuild @types/react prisma @prisma/client pg redis mongoose socket.io svelte @angular/core fastify ws yargs glob
    semver jsonwebtoken bcrypt graphql @apollo/client three d3 moment classnames immer zustand @reduxjs/toolkit
    react-router-dom @tanstack/react-query styled-components framer-motion playwright cypress mocha chai sinon husky
    lint-staged rollup undici pino winston sharp nanoid valibot debug`),
}

const pypi: Ecosystem = {
  files: ['requirements.txt', 'pyproject.toml'],
  packages: list(`
    requests numpy pytest pandas django flask pydantic fastapi sqlalchemy click pyyaml scipy matplotlib uvicorn httpx
    black ruff mypy redis boto3 celery jinja2 scikit-learn torch tqdm rich typer aiohttp beautifulsoup4 pillow
    psycopg2-binary gunicorn alembic tensorflow transformers pytest-cov python-dotenv lxml cryptography protobuf
    grpcio tox sphinx hypothesis attrs marshmallow networkx opencv-python selenium sentry-sdk`),
}

const go: Ecosystem = {
  files: ['go.mod'],
  packages: list(`
    github.com/stretchr/testify golang.org/x/sync github.com/spf13/cobra golang.org/x/net github.com/google/uuid
    gopkg.in/yaml.v3 github.com/sirupsen/logrus github.com/gin-gonic/gin go.uber.org/zap google.golang.org/grpc
    google.golang.org/protobuf github.com/gorilla/mux github.com/spf13/viper github.com/prometheus/client_golang
    golang.org/x/crypto github.com/jackc/pgx/v5 github.com/go-chi/chi/v5 github.com/redis/go-redis/v9
    github.com/BurntSushi/toml k8s.io/client-go k8s.io/api github.com/labstack/echo/v4 gorm.io/gorm
    github.com/google/go-cmp github.com/pkg/errors golang.org/x/text github.com/fsnotify/fsnotify
    github.com/rs/zerolog`),
}

const cargo: Ecosystem = {
  files: ['Cargo.toml'],
  packages: list(`
    serde tokio serde_json anyhow clap thiserror tracing rand reqwest regex axum log futures chrono hyper rayon
    itertools uuid once_cell bytes syn quote proc-macro2 sqlx tracing-subscriber criterion async-trait redis bitflags
    base64 toml`),
}

const maven: Ecosystem = {
  files: ['pom.xml'],
  packages: list(`
    org.springframework:spring-core junit:junit org.junit.jupiter:junit-jupiter org.slf4j:slf4j-api
    org.springframework.boot:spring-boot-starter-web com.google.guava:guava org.projectlombok:lombok
    com.fasterxml.jackson.core:jackson-databind org.mockito:mockito-core org.apache.commons:commons-lang3
    org.springframework.boot:spring-boot-starter-test ch.qos.logback:logback-classic org.postgresql:postgresql
    org.springframework.boot:spring-boot-starter-data-jpa org.hibernate.orm:hibernate-core io.netty:netty-all
    org.assertj:assertj-core com.squareup.okhttp3:okhttp io.micrometer:micrometer-core com.h2database:h2
    commons-io:commons-io org.apache.kafka:kafka-clients`),
}

const rubygems: Ecosystem = {
  files: ['Gemfile'],
  packages: list(`
    rails rspec rake puma pg rubocop sidekiq nokogiri redis devise bootsnap sinatra rack minitest capybara
    factory_bot_rails jbuilder turbo-rails faker simplecov jekyll rspec-rails dotenv`),
}

const packagist: Ecosystem = {
  files: ['composer.json'],
  packages: list(`
    symfony/console phpunit/phpunit laravel/framework guzzlehttp/guzzle monolog/monolog symfony/http-kernel
    doctrine/orm twig/twig phpstan/phpstan symfony/yaml nesbot/carbon vlucas/phpdotenv league/flysystem predis/predis
    ramsey/uuid friendsofphp/php-cs-fixer fakerphp/faker squizlabs/php_codesniffer psr/log`),
}

/** All ecosystems, the most used first. */
export const ecosystems: readonly Ecosystem[] = [npm, pypi, go, cargo, maven, rubygems, packagist]

/** A primary language, how often it occurs (in parts of the sum), and where its packages come from. */
export const languages: readonly { name: string | null; share: number; ecosystem?: Ecosystem }[] = [
  { name: 'TypeScript', share: 22, ecosystem: npm },
  { name: 'JavaScript', share: 15, ecosystem: npm },
  { name: 'Python', share: 20, ecosystem: pypi },
  { name: 'Go', share: 11, ecosystem: go },
  { name: 'Rust', share: 9, ecosystem: cargo },
  { name: 'Java', share: 7, ecosystem: maven },
  { name: 'Ruby', share: 5, ecosystem: rubygems },
  { name: 'PHP', share: 5, ecosystem: packagist },
  { name: 'C', share: 2 },
  { name: 'Shell', share: 2 },
  { name: 'Jupyter Notebook', share: 1, ecosystem: pypi },
  { name: null, share: 1 },
]

/**
 * How some manifests spell a name. Filters by package name are case-insensitive (decisions/0003-lists.md), so both
 * spellings of these occur.
 */
export const otherSpellings: ReadonlyMap<string, string> = new Map([
  ['django', 'Django'],
  ['flask', 'Flask'],
  ['pyyaml', 'PyYAML'],
  ['sqlalchemy', 'SQLAlchemy'],
  ['jinja2', 'Jinja2'],
  ['pillow', 'Pillow'],
])

function list(names: string): readonly string[] {
  return names.trim().split(/\s+/)
}
