import { describe } from 'vitest'
import { type ManifestExample, type RefusedManifest, testManifests } from '../support/manifests.ts'

const examples: ManifestExample[] = [
  {
    says: 'modules of all configurations count, in each notation of Groovy',
    file: 'build.gradle',
    content: `
buildscript {
    ext.kotlin_version = '2.0.0'
    dependencies { classpath "org.example:build-tool:1" }
}
plugins { id 'java-library' }
dependencies {
    api 'com.google.guava:guava:33.0.0-jre', 'org.slf4j:slf4j-api:2.0'
    implementation "org.jetbrains.kotlin:kotlin-stdlib:$kotlin_version"
    implementation "androidx.core:core-ktx:\${versions["core"]}"
    testImplementation group: 'junit', name: 'junit', version: '4.13'
    runtimeOnly([group: 'org.postgresql', name: 'postgresql', version: '42'])
    implementation(platform('org.springframework.boot:spring-boot-dependencies:3.2.0'))
    implementation('org.hibernate:hibernate-core') {
        exclude group: 'org.left', module: 'out'
        because 'a:b:c is not one'
    }
    testImplementation(testFixtures('org.example:fixtures:1'))
    compileOnly 'org.projectlombok:lombok',
            // behind a comma, a statement goes on
            'org.jspecify:jspecify'
    if (project.hasProperty('x')) {
        debugImplementation 'com.squareup.leakcanary:leakcanary-android:2@aar'
    }
    implementation project(':core')
    implementation files('libs/a.jar'), fileTree(dir: 'libs', include: ['*.jar'])
    implementation gradleApi()
    constraints {
        implementation 'org.only:constrained:1'
    }
    /* implementation 'org.commented:out:1' */
}
dependencyManagement {
    imports { mavenBom 'org.springframework.cloud:spring-cloud-dependencies:2023' }
    dependencies { dependency 'org.managed:only:1' }
}
`,
    names: [
      'androidx.core:core-ktx',
      'com.google.guava:guava',
      'com.squareup.leakcanary:leakcanary-android',
      'junit:junit',
      'org.example:fixtures',
      'org.hibernate:hibernate-core',
      'org.jetbrains.kotlin:kotlin-stdlib',
      'org.jspecify:jspecify',
      'org.postgresql:postgresql',
      'org.projectlombok:lombok',
      'org.slf4j:slf4j-api',
      'org.springframework.boot:spring-boot-dependencies',
      'org.springframework.cloud:spring-cloud-dependencies',
    ],
  },
  {
    says: 'what only running would tell is counted',
    file: 'build.gradle',
    content: `dependencies {
  implementation rootProject.ext.deps.okhttp
  implementation "$group:$name:1"
  implementation Deps.rx
  api 'org.example:known:1'
}`,
    names: ['org.example:known'],
    isComputed: true,
  },
  {
    says: 'a project, a folder and nothing are not computed',
    file: 'build.gradle',
    content: `dependencies { implementation project(':a')
      implementation rootProject.project(':b'); implementation projects.c; implementation ':local' }
    dependencies {}
    allprojects { repositories { mavenCentral() } }`,
    names: [],
  },
  {
    says: 'Kotlin has names of arguments, kotlin(), and dependencies of source sets',
    file: 'build.gradle.kts',
    content: `
plugins { kotlin("multiplatform") version "2.0" }
kotlin {
  sourceSets {
    commonMain.dependencies {
      implementation("io.ktor:ktor-client-core:$ktor")
      implementation(kotlin("test"))
    }
    val jvmMain by getting {
      dependencies {
        api(project(":core"))
        implementation(group = "org.x", name = "y", version = "1")
        "kapt"("com.google.dagger:dagger-compiler:2.50")
        add("ksp", "com.squareup.moshi:moshi-kotlin-codegen:1.15")
        implementation(dependencies.platform("org.bom:bom:1"))
        implementation(dependencies.create("org.made:made:1")) { isTransitive = false }
        testImplementation("org.example:with-config:1") { exclude(group = "org.no", module = "no") }
      }
    }
  }
}`,
    names: [
      'com.google.dagger:dagger-compiler',
      'com.squareup.moshi:moshi-kotlin-codegen',
      'io.ktor:ktor-client-core',
      'org.bom:bom',
      'org.example:with-config',
      'org.jetbrains.kotlin:kotlin-test',
      'org.made:made',
      'org.x:y',
    ],
  },
  {
    says: 'names of the catalog refer to it',
    file: 'build.gradle.kts',
    content: `dependencies {
  implementation(libs.okhttp.client)
  implementation(libs.bundles.compose)
  implementation(platform(libs.androidx.bom))
  testImplementation(libs.junit.get())
  kapt(variantOf(libs.dagger) { classifier("x") })
  implementation("org.x:y:" + libs.versions.y.get())
}`,
    names: ['org.x:y'],
    references: ['androidx.bom', 'bundles.compose', 'dagger', 'junit', 'okhttp.client'],
  },
  {
    says: 'variables stand for a module, a platform or a name of the catalog',
    file: 'build.gradle.kts',
    content: `
val coroutines = "org.jetbrains.kotlinx:kotlinx-coroutines-core:1"
dependencies {
  val composeBom = platform("androidx.compose:compose-bom:2024.01.00"); implementation(composeBom)
  androidTestImplementation(composeBom)
  val firebase = libs.firebase.bom
  implementation(platform(firebase))
  val other = enforcedPlatform(libs.other.bom)
  add("implementation", other)
  api(coroutines)
}`,
    names: ['androidx.compose:compose-bom', 'org.jetbrains.kotlinx:kotlinx-coroutines-core'],
    references: ['firebase.bom', 'other.bom'],
  },
  {
    says: 'variables stand for a module in Groovy, too',
    file: 'build.gradle',
    content: `
def jscFlavor = 'org.webkit:android-jsc:+'
ext.okio = 'com.squareup.okio:okio:3'
dependencies {
  implementation jscFlavor
  if (jscFlavor == 'x') { implementation okio, jscFlavor }
}`,
    names: ['com.squareup.okio:okio', 'org.webkit:android-jsc'],
  },
  {
    says: 'the plugin of Compose Multiplatform has names for its modules, unless a catalog has the same',
    file: 'build.gradle.kts',
    content: `dependencies {
  implementation(compose.material3)
  implementation(compose.components.uiToolingPreview)
  debugImplementation(compose.uiTooling)
  implementation(compose.desktop.currentOs)
  implementation(other.runtime)
}`,
    names: [],
    references: [
      'components.uiToolingPreview or org.jetbrains.compose.components:components-ui-tooling-preview',
      'desktop.currentOs',
      'material3 or org.jetbrains.compose.material3:material3',
      'runtime',
      'uiTooling or org.jetbrains.compose.ui:ui-tooling',
    ],
  },
  {
    says: 'a catalog defines modules and bundles',
    file: 'libs.versions.toml',
    content: `
[versions]
okhttp = "4.12.0"
[libraries]
okhttp-client = { module = "com.squareup.okhttp3:okhttp", version.ref = "okhttp" }
androidx_core = { group = "androidx.core", name = "core-ktx", version = "1" }
groovy = "org.codehaus.groovy:groovy:3.0.5"
[bundles]
all = ["okhttp-client", "groovy", "missing"]
[plugins]
android = { id = "com.android.application", version = "8" }
`,
    names: [],
    definitions: {
      'okhttp.client': ['com.squareup.okhttp3:okhttp'],
      'androidx.core': ['androidx.core:core-ktx'],
      groovy: ['org.codehaus.groovy:groovy'],
      'bundles.all': ['com.squareup.okhttp3:okhttp', 'org.codehaus.groovy:groovy'],
    },
  },
  {
    says: 'settings may define a catalog',
    file: 'settings.gradle',
    content: `dependencyResolutionManagement { versionCatalogs { libs {
      version('groovy', '3.0.5')
      library('groovy-core', 'org.codehaus.groovy', 'groovy').versionRef('groovy')
      library('lang3', 'org.apache.commons:commons-lang3:3.9')
    } } }
    include ':core'`,
    names: [],
    definitions: {
      'groovy.core': ['org.codehaus.groovy:groovy'],
      lang3: ['org.apache.commons:commons-lang3'],
    },
  },
  { says: 'settings without a catalog', file: 'settings.gradle.kts', content: 'include(":core")', names: [] },
  {
    says: 'modules count without the suffix of the Scala version, and values of the file are known',
    file: 'build.sbt',
    content: `
val circe = "io.circe"
lazy val catsVersion = "2.10.0"
addSbtPlugin("org.left" % "out" % "1")
libraryDependencies += "org.typelevel" %% "cats-core" % catsVersion
libraryDependencies ++= Seq(
  circe %% "circe-core" % "0.14", // "org.commented" % "out" % "1"
  "org.postgresql" % "postgresql" % Versions.postgresql % Test,
  "org.scalameta" %%% "munit" % "1.0" % "test->compile" withSources(),
  compilerPlugin("org.typelevel" %% "kind-projector" % "0.13" cross CrossVersion.full)
)
dependencyOverrides += "org.override" % "a" % "1"
dependencyOverrides ++= Seq("org.override" % "b" % "1")
excludeDependencies += "org.exclude" % "c"
`,
    names: [
      'io.circe:circe-core',
      'org.postgresql:postgresql',
      'org.scalameta:munit',
      'org.typelevel:cats-core',
    ],
  },
  {
    says: 'organizations and names of other files are computed',
    file: 'Dependencies.scala',
    content: `object Dependencies {
  val akka = Organizations.akka %% "akka-actor" % V.akka
  val zio = "dev.zio" %% s"zio-$part" % "2"
  val cats = "org.typelevel" %%
    "cats-effect" % "3"
}`,
    names: ['org.typelevel:cats-effect'],
    isComputed: true,
  },
  {
    says: 'packages count by their URL, and those of a folder do not',
    file: 'Package.swift',
    content: `// swift-tools-version:5.9
import PackageDescription
let package = Package(
  name: "demo",
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.0.0"),
    .package(name: "Vapor", url: "git@github.com:vapor/vapor.git", .upToNextMajor(from: "4.0.0")),
    .package(id: "mona.LinkedList", from: "1.0.0"),
    .package(path: "../Local"),
    .package(name: "Other", path: "Other"),
    Package.Dependency.package(url: "ssh://git@host.example:22/owner/tool", branch: "main"),
    // .package(url: "https://host.example/commented/out", from: "1"),
  ],
  targets: [.target(name: "demo", dependencies: [.product(name: "NIO", package: "swift-nio")])]
)`,
    names: [
      'github.com/apple/swift-nio',
      'github.com/vapor/vapor',
      'host.example/owner/tool',
      'mona.LinkedList',
    ],
  },
  {
    says: 'a URL that is a variable is computed',
    file: 'Package.swift',
    content:
      'let p = Package(dependencies: [.package(url: base, from: "1"), .package(url: "\\(base)/a", from: "1")])',
    names: [],
    isComputed: true,
  },
  {
    says: 'pods count without their parts, and those of a folder do not',
    file: 'Podfile',
    content: `platform :ios, '15.0'
use_frameworks!
target 'App' do
  pod 'Alamofire', '~> 5.0'
  pod 'Firebase/Analytics'
  pod "GoogleUtilities/NSData+zlib", :git => 'https://host.example/a.git'
  pod 'Local', :path => '../Local'
  pod 'Other', path: '../Other'
  # pod 'Commented'
  target 'AppTests' do
    inherit! :search_paths
    pod 'Quick'
  end
end
`,
    names: ['Alamofire', 'Firebase', 'GoogleUtilities', 'Quick'],
  },
  {
    says: 'other pods count, not other parts of its own',
    file: '*.podspec',
    content: `Pod::Spec.new do |s|
  s.name = 'MyKit'
  s.dependency 'SDWebImage/Core', '~> 5'
  s.subspec 'Core' do |ss|
    ss.dependency 'MyKit/Base'
    ss.ios.dependency 'lottie-ios'
  end
end`,
    names: ['SDWebImage', 'lottie-ios'],
  },
  {
    says: 'tuples of deps count, by the name of the package',
    file: 'mix.exs',
    content: `defmodule Demo.MixProject do
  use Mix.Project
  @version "1.0.0"
  def project do
    [app: :demo, version: @version, deps: deps(), releases: [{:demo, [steps: [:assemble]]}]]
  end
  def application, do: [mod: {Demo.Application, []}, extra_applications: [:logger]]
  defp deps do
    [
      {:phoenix, "~> 1.7"},
      {:ecto_sql, ">= 3.0.0 and < 4.0.0", only: [:dev, :test], runtime: false},
      {:plug, github: "elixir-plug/plug"},
      {:tesla_client, "~> 1.4", hex: :tesla},
      {:jason, version(), optional: true},
      {:core, path: "../core"},
      {:shared, in_umbrella: true}
      # {:commented, "~> 1"}
    ]
  end
  defp aliases do
    [{:setup, ["deps.get"]}]
  end
end`,
    names: ['ecto_sql', 'jason', 'phoenix', 'plug', 'tesla'],
  },
  {
    says: 'deps may be a list of the project',
    file: 'mix.exs',
    content: 'def project do [app: :a, deps: [{:credo, "~> 1.7"}], other: [{:b, "c"}]] end',
    names: ['credo'],
  },
  {
    says: 'attributes and calls that require packages count',
    file: 'conanfile.py',
    content: `from conan import ConanFile
class Demo(ConanFile):
    name = "demo"
    requires = "zlib/1.3", ("boost/1.84.0", "override")
    tool_requires = ["cmake/3.28"]
    generators = "CMakeDeps"
    def requirements(self):
        self.requires("fmt/10.2.1", transitive_headers=True)
        self.requires(f"spdlog/{self.version}")
        if self.options.ssl:
            self.requires("openssl/[>=3 <4]@user/channel")
    def build_requirements(self):
        self.test_requires("gtest/1.14.0")
`,
    names: ['boost', 'cmake', 'fmt', 'gtest', 'openssl', 'spdlog', 'zlib'],
  },
  {
    says: 'options of a requirement are none, and a set may have some',
    file: 'conanfile.py',
    content:
      'requires = ("zlib/1.2", {"headers": True, "x": "y/1"}), ("fmt/1", {})\ntool_requires = {"cmake/3"}\n',
    names: ['cmake', 'fmt', 'zlib'],
  },
  {
    says: 'a name that is a variable is computed',
    file: 'conanfile.py',
    content:
      'class A(ConanFile):\n  requires = base\n  def requirements(self):\n    self.requires(NAME + "/1")\n',
    names: [],
    isComputed: true,
  },
  {
    says: 'an import map has scopes',
    file: 'import_map.json',
    content:
      '{"imports":{"hono":"npm:hono@4"},"scopes":{"https://deno.land/x/":{"zod":"npm:zod","a":"./a.ts"},"b":1}}',
    names: ['hono', 'zod'],
  },
  ...(
    [
      ['implementation rootProject.ext.deps.okhttp', null],
      ['implementation "$group:$name:1"', null],
      ['implementation Deps.rx', null],
      ['implementation "org.spark:core_" + scala + ":3"', null],
      ['implementation project.dependencies.platform("a:b:1")', 'a:b'],
      ['if (x) { api "a:b:1" } else { api "c:d:1" }', 'a:b c:d'],
      ['compileOnly("org.spigotmc", "spigot-api", "1.16")', 'org.spigotmc:spigot-api'],
      ['include(implementation("a:b:1"))', 'a:b'],
      ['implementation fg.deobf("a:b:1")', 'a:b'],
      [`a ${'platform('.repeat(50)}`, null],
      ['def a = "a:b:1"; if (x) { a = "c:d:1" }; api a', null],
      ['def a = "a:b:1"; if (x) { a = find() }; api a', null],
      ['def a = x ? "a:b:1" : "c:d:1"; api a', null],
      ['def a = "1"; api a', null],
      ['["debug", "release"].each { "${it}Implementation"("a:b:1") }', 'a:b'],
      ['listOf("debug", "release").forEach { "${it}Implementation"("a:b:1") }', 'a:b'],
      ['"${x}Implementation" "a:b:1"', 'a:b'],
      ['["a:b:1", "c:d:1"].each(add)', 'a:b c:d'],
      ["['a:b:1', 'c:d:1'].each { api it }", 'a:b c:d'],
      ['listOf("a:b:1", "c:d:1").forEach { x -> api(platform(x)); test("e:f:1") }', 'a:b c:d e:f'],
      ['["a:b:1"].each { api it }; api it', 'a:b', true],
      ['["a:b:1"].each { api x }', 'a:b', true],
      ['["a:b:1", find()].each { api it }', 'a:b', true],
    ] as const
  ).map(
    ([text, names, isComputed = names === null]): ManifestExample => ({
      says: text.slice(0, 60),
      file: 'build.gradle',
      content: `dependencies { ${text} }`,
      names: names?.split(' ') ?? [],
      isComputed,
    }),
  ),
  {
    says: 'statements of all branches count, with and without braces',
    file: 'build.gradle',
    content: `dependencies {
  if (a) { api 'a:a:1' } else if (b) { api 'a:b:1' } else { api 'a:c:1' }
  if (a) api 'a:d:1'
  else if (b) api 'a:e:1'
  else api 'a:f:1'
  try { api 'a:g:1' } catch (Exception e) { api 'a:h:1' } finally { api 'a:i:1' }
}`,
    names: ['a:a', 'a:b', 'a:c', 'a:d', 'a:e', 'a:f', 'a:g', 'a:h', 'a:i'],
  },
  {
    says: 'catalogs have other names, too, and are asked by calls',
    file: 'build.gradle.kts',
    content: `dependencies {
  testImplementation(testLibs.junit.jupiter)
  implementation(libs.findLibrary("commons-lang3").get())
  "implementation"(libs.findBundle("all").get())
  implementation(libs.find("none"))
}`,
    names: [],
    references: ['bundles.all', 'commons.lang3', 'junit.jupiter'],
    isComputed: true,
  },
  {
    says: 'bundles consist of libraries alone',
    file: 'libs.versions.toml',
    content: '[libraries]\na = "g:a:1"\n[bundles]\nb = ["a", "a"]\nc = ["bundles-b", "a"]\n',
    names: [],
    definitions: { a: ['g:a'], 'bundles.b': ['g:a'], 'bundles.c': ['g:a'] },
  },
  {
    says: 'what mavenBom imports counts wherever it stands, and what is managed beside it does not',
    file: 'build.gradle.kts',
    content: `configure<DependencyManagementExtension> {
  imports { mavenBom("a:b:1"); mavenBom(SpringBootPlugin.BOM_COORDINATES) }
  dependencies { dependency("c:d:1") }
}
dependencies.add("implementation", "e:f:1")
shadowJar { dependencies { include(dependency("g:h")) } }`,
    names: ['a:b', 'e:f'],
    isComputed: true,
  },
  {
    says: 'a string that looks unclosed hides nothing behind its block',
    file: 'build.gradle',
    content: `buildscript {\n  ext.q = s.replace(/'/, "")\n}\ndependencies { implementation 'a:b:1' }
description = '''\ndependencies { implementation 'c:d:1' }\n'''`,
    names: ['a:b'],
  },
  {
    says: 'block comments nest in Kotlin, and hide nothing behind them',
    file: 'build.gradle.kts',
    content: `/* old block
 implementation("c:d:1") /* why */
 dependencies { implementation("old:old:1") }
*/
dependencies { /**/ api("a:b:1") /* /*/ */ api("c:d:1") */ api("e:f:1") /* /* */ }`,
    names: ['a:b', 'e:f'],
  },
  {
    says: 'block comments do not nest in Groovy',
    file: 'build.gradle',
    content: `dependencies { /* old /* block */ api 'a:b:1' } /*`,
    names: ['a:b'],
  },
  {
    says: 'an escaped slash begins no comment',
    file: 'build.gradle',
    content: `tasks.test { include { it.path ==~ /.*\\/*Spec/ }; exclude { it.path ==~ /a\\// } }
dependencies { api 'a:b:1' }`,
    names: ['a:b'],
  },
  {
    says: 'block comments nest in settings in Kotlin',
    file: 'settings.gradle.kts',
    content: '/* /* */ versionCatalogs { create("libs") { library("a", "g:a:1") } } */',
    names: [],
  },
  {
    says: 'settings have bundles, older aliases, and perhaps other catalogs',
    file: 'settings.gradle.kts',
    content: `versionCatalogs {
  create("libs") { library("a", "g:a:1"); alias("b").to("g:b:1"); alias("c").to("g", "c").version("1"); bundle("all", listOf("a", "b")) }
  create("tools") { library("a", "g:z:1"); bundle("all", listOf("a", "b")) }
}
other { library("d", "g:d:1") }`,
    names: [],
    definitions: {
      a: ['g:a'],
      b: ['g:b'],
      c: ['g:c'],
      'bundles.all': ['g:a', 'g:b'],
      'tools.a': ['g:z'],
      'tools.bundles.all': ['g:z'],
    },
  },
  ...(
    [
      ['libraryDependencies += "dev.zio" %% s"zio-$p" % "2"', null],
      ['libraryDependencies += "a" %% ("b-" + x) % "1"', null],
      ['libraryDependencies += "dev.zio" %% Names.zio % "2"', null],
      ['object G { val akka = "a" }; object V { val akka = "b" }; x := G.akka %% "actor" % V.akka', null],
      ['val v = "a" + x\nlibraryDependencies += v %% "d" % "1"', null],
      ['p.settings(dependencyOverrides += "a" % "b" % "1", libraryDependencies += "c" % "d" % "2")', 'c:d'],
      ['libraryDependencies ++= Seq("a" %% "b", "c" %% "d").map(_ % v)', 'a:b c:d'],
      ['libraryDependencies ++= Seq("a" % "b", "c" % "d").map(_ % v)', 'a:b c:d'],
      ['libraryDependencies ++= Seq("a" %% "b", "c" % "d").map(_ % v % Test)', 'a:b c:d'],
      ['val x = Seq(\n"a" % "b",\n"c" % "d"\n) map (_ % v)\nlazy val y = z.dependsOn("e" % "f")', 'a:b c:d'],
      ['libraryDependencySchemes += "a" %% "b" % VersionScheme.Always', ''],
      [
        'scalafixDependencies in ThisBuild += "a" %% "b" % "1"\nlibraryDependencies += "c" %% "d" % "1"',
        'c:d',
      ],
      ['dependencyOverrides in Test ++= Seq("a" % "b" % "1")', ''],
      ['scalafixDependencies.in(ThisBuild) += "a" %% "b" % "1"', ''],
      ['(Compile / scalafixDependencies) += "a" %% "b" % "1"', ''],
      ['libraryDependencies ++= Seq().map(compilerPlugin) ++ Seq("a" %% "b" % "1")', 'a:b'],
      ['ThisBuild / evictionRules += "a" %% "b" % "semver-spec"', ''],
      ['compatibilityIgnored ++= Seq("a" %% "b"); compatibilityRules += "a" %% "b" % "strict"', ''],
      ['versionPolicyIgnored += "a" %% "b"; versionPolicyDependencyRules += "a" %% "b" % "strict"', ''],
      ['libraryDependencies ++= Seq(catsCore.value)', null],
      ['libraryDependencies += Libraries.cats % Test', null],
      ['libraryDependencies ++= Seq(cats, circe).map(_ % Test)', null],
      ['libraryDependencies ++= Seq(guice, ws) ++ Nil', null],
      ['libraryDependencies ++= Seq() ++ Nil ++ Seq.empty', ''],
      [
        'libraryDependencies ++= Seq(cats.value, cats % Test)\nval cats = Def.setting("a" %% "b" % "1")',
        'a:b',
      ],
      ['libraryDependencies ++= list("1")\ndef list(v: String) = Seq("a" %% "b" % v)', 'a:b'],
      ['libraryDependencies ++= (if (x) Seq("a" %% "b" % "1") else Nil)', 'a:b'],
      ['libraryDependencies ++= (scalaVersion.value match { case v => Seq("a" %% "b" % v) })', 'a:b'],
      [
        'libraryDependencies ++= Seq("a" % "b_2.13" % "1", "c" % "d_sjs1_3" % "1", "e" % "f_4" % "1")',
        'a:b c:d e:f_4',
      ],
      [
        'libraryDependencies ++= Seq("a" % "b_2.10.0-RC1" % "1", "c" % "d_2.13.0-M5" % "1", "e" % "f_3.3.1" % "1")',
        'a:b c:d e:f',
      ],
      ['libraryDependencies += "a" % "b_sjs1.0.0-M3_3.0.0-RC1" % "1"', 'a:b'],
      ['mimaPreviousArtifacts := Set("a" %% "b" % "0.1")', ''],
      ['/* a /* b */ "c" %% "d" % "1" */ libraryDependencies += "e" %% "f" % "1"', 'e:f'],
      ['lazy val a = project.dependsOn(core % "test->test", "b" % Test)', ''],
    ] as const
  ).map(
    ([content, names]): ManifestExample => ({
      says: content.slice(0, 60),
      file: 'build.sbt',
      content,
      names: names?.split(' ').filter(Boolean) ?? [],
      isComputed: names === null,
    }),
  ),
  ...(
    [
      ['/* /* */ .package(url: "https://github.com/a/b", from: "1") */', ''],
      ['.Package(url: "https://github.com/vapor/engine.git", majorVersion: 1)', 'github.com/vapor/engine'],
      ['.package(url: "https://www.GitHub.com/A/B/", from: "1")', 'github.com/A/B'],
      ['.package(url: "../MyLib", from: "1")', ''],
      ['.package(url: "~/x/y", from: "1")', ''],
      ['.package(url: "file:///Users/x/L", from: "1")', ''],
      ['.package(url: "https://github.com/" + name, from: "1")', null],
    ] as const
  ).map(
    ([content, names]): ManifestExample => ({
      says: content,
      file: 'Package.swift',
      content,
      names: names?.split(' ').filter(Boolean) ?? [],
      isComputed: names === null,
    }),
  ),
  {
    says: 'pods that a function adds are computed',
    file: 'Podfile',
    content: "# use_expo_modules!\nconfig = use_native_modules!\npod 'A'\n",
    names: ['A'],
    isComputed: true,
  },
  ...(
    [
      ['deps: [{:a, [path: "../a"]}, {:c, [in_umbrella: true]}, {:d, "~> 1", [hex: :e]}]', 'e'],
      ['deps: [{:a, "~> 1", system_env: [{:FOO, "1"}]}]', 'a'],
      [
        'deps: packages()]\nend\ndefp packages do\n [{:b, "1"}] ++ more()\nend\ndefp more, do: [{:c, "1"}]',
        'b c',
      ],
      ['deps: @deps]\nend\n', null],
      ['deps: @deps]\nend\n@deps [{:b, "1"}]\n', 'b'],
      ['deps: Shared.deps()]', null],
      ['deps: deps()]\nend\ndefp deps do\n for d <- [:a], do: {d, "~> 1"}\nend', null],
      ['deps: deps()]\nend\ndefp deps do\n case f() do {:ok, p} -> [{:a, p}] end\nend', 'a'],
    ] as const
  ).map(
    ([text, names]): ManifestExample => ({
      says: text.slice(0, 60),
      file: 'mix.exs',
      content: `def project do\n[app: :x, ${text}`,
      names: names?.split(' ') ?? [],
      isComputed: names === null,
    }),
  ),
  {
    says: 'requirements of a package’s parts and of its own test do not count, further ones do',
    file: 'conanfile.py',
    content: `class A(ConanFile):
    requires = ["zlib/1", OTHER]
    build_requires: tuple = ("cmake/3",)
    requires += ["b/1"]
    def requirements(self):
        self.requires(self.tested_reference_str)
        self.requires.add("c/1.2@x/y")
    def package_info(self):
        self.cpp_info.components["x"].requires = ["d::e"]
`,
    names: ['b', 'c', 'cmake', 'zlib'],
    isComputed: true,
  },
]

const refused: RefusedManifest[] = [
  ['libs.versions.toml', 'libraries = 1', /"libraries" is not a table/],
  ['libs.versions.toml', '[libraries', /not valid TOML/],
  ['build.gradle', 'dependencies {\n<<<<<<< HEAD\n}', /line 2 is a conflict marker/],
  ['Podfile', "pod 'a\0'", /not text/],
  ['conanfile.py', 'requires = "a', /is not closed/],
  ['import_map.json', '[]', /not a JSON object/],
]

describe('a manifest of Gradle, sbt, Swift, CocoaPods, Mix or Conan', () => testManifests(examples, refused))
